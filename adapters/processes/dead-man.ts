// The dead-man's switch: a reader of a pipe that nobody writes to; it kills the process group when the pipe closes
// with the engine. It survives SIGTERM, so a program that ignores that, or loops, cannot outlive the engine.

/** For `/bin/sh -c`, followed by the program and its arguments; the pipe's end is this descriptor, below 10. */
export function watchedBy(fd: number): string {
  return `(trap '' TERM INT HUP; read -r _ <&${fd}; kill -KILL 0) >/dev/null 2>&1 &
exec ${fd}<&- ; exec "$@"`
}
