/* The composition `table`: three philosophers, the last of whom takes the right fork first, with
   its begin and its close. Forks follow from who eats, but are kept, as in the composition. */
#define N 3
byte phase; /* 0 fresh, 1 at table, 2 closed */
byte phil[N], fork[N];

inline take(i, from, f, hand) {
  d_step { phase == 1 && phil[i] == from && fork[f] == 0 -> phil[i] = from + 1; fork[f] = hand }
}
inline drop(i, right) {
  d_step { phase == 1 && phil[i] == 2 -> phil[i] = 0; fork[i] = 0; fork[right] = 0 }
}

active proctype table() {
  do
  :: d_step { phase == 0 -> phase = 1 }
  :: d_step { phase < 2 -> phase = 2; phil[0] = 0; phil[1] = 0; phil[2] = 0;
              fork[0] = 0; fork[1] = 0; fork[2] = 0 }
  :: take(0, 0, 0, 1)
  :: take(0, 1, 1, 2)
  :: drop(0, 1)
  :: take(1, 0, 1, 1)
  :: take(1, 1, 2, 2)
  :: drop(1, 2)
  :: take(2, 0, 0, 2)
  :: take(2, 1, 2, 1)
  :: drop(2, 0)
  od
}
