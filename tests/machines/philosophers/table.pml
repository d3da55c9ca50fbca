/* N philosophers and N forks, each act in one step. With TURNED the last one takes the right fork
   first. A fork is free (0), in the hand of whom it is left of (1), or of whom it is right of (2). */
byte phil[N], fork[N];

#define FIRST_IS_RIGHT(i) (TURNED && i == N - 1)

active [N] proctype philosopher() {
  do
  :: d_step { phil[_pid] == 0 && !FIRST_IS_RIGHT(_pid) && fork[_pid] == 0 ->
       phil[_pid] = 1; fork[_pid] = 1 }
  :: d_step { phil[_pid] == 0 && FIRST_IS_RIGHT(_pid) && fork[(_pid + 1) % N] == 0 ->
       phil[_pid] = 1; fork[(_pid + 1) % N] = 2 }
  :: d_step { phil[_pid] == 1 && !FIRST_IS_RIGHT(_pid) && fork[(_pid + 1) % N] == 0 ->
       phil[_pid] = 2; fork[(_pid + 1) % N] = 2 }
  :: d_step { phil[_pid] == 1 && FIRST_IS_RIGHT(_pid) && fork[_pid] == 0 ->
       phil[_pid] = 2; fork[_pid] = 1 }
  :: d_step { phil[_pid] == 2 -> phil[_pid] = 0; fork[_pid] = 0; fork[(_pid + 1) % N] = 0 }
  od
}
