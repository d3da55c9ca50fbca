/* Two-phase commit of N managers as Gray and Lamport specify it: what is sent stays there. */
byte rm[N];       /* 0 working, 1 prepared, 2 committed, 3 aborted */
bool sent[N], heard[N];
byte decision;    /* 1 commit, 2 abort */
byte yes;         /* how many are heard, which follows from `heard` */

active [N] proctype manager() {
  do
  :: d_step { rm[_pid] == 0 -> rm[_pid] = 1; sent[_pid] = 1 }
  :: d_step { rm[_pid] == 0 -> rm[_pid] = 3 }
  :: d_step { decision == 0 && sent[_pid] && !heard[_pid] -> heard[_pid] = 1; yes++ }
  :: d_step { decision == 1 -> rm[_pid] = 2 }
  :: d_step { decision == 2 -> rm[_pid] = 3 }
  od
}

active proctype coordinator() {
  do
  :: d_step { decision == 0 && yes == N -> decision = 1 }
  :: d_step { decision == 0 -> decision = 2 }
  od
}
