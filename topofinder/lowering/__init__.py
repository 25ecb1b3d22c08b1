"""From schedules, forests and timetables to what every rank sends and receives, in order."""
