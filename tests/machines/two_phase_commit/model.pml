/* The composition `two_phase_commit`: messages are exchanged at once, over rendezvous in one step. */
mtype = { fresh, voting, has0, has1, deciding, aborting, working, prepared, committed, aborted };
mtype c = fresh, r0 = fresh, r1 = fresh;

#define ASKS0 (c == voting || c == has1)
#define ASKS1 (c == voting || c == has0)

active proctype all() {
  do
  :: d_step { c == fresh -> c = voting; r0 = working; r1 = working }
  :: d_step { r0 == working && c == voting -> r0 = prepared; c = has0 }
  :: d_step { r0 == working && c == has1 -> r0 = prepared; c = deciding }
  :: d_step { r1 == working && c == voting -> r1 = prepared; c = has1 }
  :: d_step { r1 == working && c == has0 -> r1 = prepared; c = deciding }
  :: d_step { r0 == working && ASKS0 -> r0 = aborted; c = aborting }
  :: d_step { r1 == working && ASKS1 -> r1 = aborted; c = aborting }
  :: d_step { c == voting || c == has0 || c == has1 -> c = aborting }
  :: d_step { c == deciding && r0 == prepared && r1 == prepared ->
              c = committed; r0 = committed; r1 = committed }
  :: d_step { c == aborting -> c = aborted; r0 = aborted; r1 = aborted }
  od
}
