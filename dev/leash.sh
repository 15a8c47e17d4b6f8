#!/bin/sh
# leash.sh SIGNAL COMMAND…: becomes the command, and ends it when the process that started it ends.
# Standard input closes when the starter ends: the command gets SIGNAL, and 20 seconds later its group is killed.
# A line on standard input means that the command has ended and its process id may be reused.
signal=$1
shift
exec 3<&0
# Two forks: the watcher must not be a child of the command, which does not expect one.
(
  (
    read -r _ <&3 && exit
    kill -"$signal" $$ 2>/dev/null || exit
    kill -CONT $$
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      sleep 1
      kill -0 $$ 2>/dev/null || exit
    done
    kill -KILL -$$
  ) >/dev/null 2>&1 &
)
exec "$@" </dev/null 3<&-
