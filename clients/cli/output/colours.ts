// Colour on a terminal unless disabled; plain text everywhere else.
import type { Terminal } from '../command.ts'

export type Paint = (text: string) => string

export interface Colours {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly cyan: Paint
}

const plain: Paint = (text) => text
const none: Colours = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain }
const some: Colours = {
  bold: painted(1, 22),
  dim: painted(2, 22),
  red: painted(31, 39),
  green: painted(32, 39),
  yellow: painted(33, 39),
  cyan: painted(36, 39),
}

export function coloursOf(terminal: Terminal, stream: 'stdout' | 'stderr'): Colours {
  const { NO_COLOR, TERM } = terminal.env
  const is_tty = stream === 'stdout' ? terminal.stdout_is_tty : terminal.stderr_is_tty
  return is_tty && !NO_COLOR && TERM !== 'dumb' ? some : none
}

function painted(begin: number, end: number): Paint {
  return (text) => (text === '' ? '' : `\x1b[${begin}m${text}\x1b[${end}m`)
}
