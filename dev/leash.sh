#!/bin/sh
# leash.sh SIGNAL COMMAND…: becomes the command, and promises that it does not outlive whoever started us, however that one ends.
# Our standard input closes when the starter ends: then the command gets SIGNAL, and 20 seconds later it is killed with its group.
# A line on standard input instead says that the command has ended, and that its process id means nothing any more.
signal=$1
shift
exec 3<&0
# Two forks: the watcher must not be a child of the command, which would be surprised by it.
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
