/* The composition `bounded_buffer`: a buffer of two items, with its begin and its close. */
byte phase; /* 0 fresh, 1 at work, 2 closed */
bool holding, using;
byte items;

active proctype all() {
  do
  :: d_step { phase == 0 -> phase = 1 }
  :: d_step { phase < 2 -> phase = 2; holding = 0; using = 0; items = 0 }
  :: d_step { phase == 1 && !holding -> holding = 1 }
  :: d_step { phase == 1 && holding && items < 2 -> holding = 0; items++ }
  :: d_step { phase == 1 && !using && items > 0 -> using = 1; items-- }
  :: d_step { phase == 1 && using -> using = 0 }
  od
}
