// The dead-man's switch: a reader of a pipe that nobody writes to, which ends the process group when the pipe closes with the engine.
// It outlasts SIGTERM, so a program that ignores that, or loops for ever, cannot outlive the engine either.

/** For `/bin/sh -c`, with the program and its arguments after it; the pipe's end is this descriptor, below 10. */
export function watchedBy(fd: number): string {
  return `(trap '' TERM INT HUP; read -r _ <&${fd}; kill -KILL 0) >/dev/null 2>&1 &
exec ${fd}<&- ; exec "$@"`
}
