// Tokens of a BIF text: names may be quoted, and consist of anything but space and punctuation marks.
import { fault } from './network.ts'

const marks = new Set('{}()[]|,;')
const word_length_max = 256

export class BifTokens {
  readonly #text: string
  #at = 0
  #next: string | undefined
  #is_mark = false
  line = 1

  constructor(text: string) {
    this.#text = text
    this.#advance()
  }

  isAtEnd(): boolean {
    return this.#next === undefined
  }
  is(mark: string): boolean {
    return this.#is_mark && this.#next === mark
  }
  isWord(word: string): boolean {
    return !this.#is_mark && this.#next === word
  }

  take(mark: string): void {
    if (!this.is(mark)) throw this.fault(`${this.#shown()} stands where ${mark} should`)
    this.#advance()
  }

  word(): string {
    const word = this.#next
    if (word === undefined || this.#is_mark) throw this.fault(`${this.#shown()} stands where a name should`)
    if (word === '' || word.length > word_length_max)
      throw this.fault(`a name has 1 to ${word_length_max} characters`)
    this.#advance()
    return word
  }

  /** Words with or without commas between them, up to the end mark, which is not consumed. */
  list(end: string, length_max: number): string[] {
    const words: string[] = []
    while (!this.is(end)) {
      if (words.length >= length_max) throw this.fault(`a list has at most ${length_max} members`)
      words.push(this.word())
      if (this.is(',')) this.take(',')
    }
    return words
  }

  /** Up to and including the semicolon. */
  numbers(length_max: number): number[] {
    const numbers: number[] = []
    while (!this.is(';')) {
      if (numbers.length >= length_max) throw this.fault(`a row has at most ${length_max} numbers`)
      const word = this.word()
      const value = Number(word)
      if (!(value >= 0 && value <= 1 + 1e-2)) throw this.fault(`${word} is no probability`)
      numbers.push(value)
      if (this.is(',')) this.take(',')
    }
    this.take(';')
    return numbers
  }

  /** A property or other statement ending with a semicolon: irrelevant to the distribution. */
  skipStatement(): void {
    while (!this.is(';')) {
      if (this.isAtEnd() || this.is('}') || this.is('{'))
        throw this.fault(`${this.#shown()} stands where ; should`)
      this.#advance()
    }
    this.#advance()
  }

  fault(message: string) {
    return fault('bif_syntax', `line ${this.line}: ${message}`, '/source', { line: this.line })
  }

  #shown(): string {
    return this.#next === undefined ? 'the end of the text' : `"${this.#next.slice(0, 40)}"`
  }

  #advance(): void {
    this.#skipBlank()
    const text = this.#text
    const start = this.#at
    const first = text[start]
    if (first === undefined) {
      this.#next = undefined
      this.#is_mark = false
    } else if (first === '"') {
      const end = text.indexOf('"', start + 1)
      if (end < 0) throw this.fault('a quoted name has no end')
      this.#settle(text.slice(start + 1, end), end + 1, false)
    } else if (marks.has(first)) this.#settle(first, start + 1, true)
    else {
      let end = start + 1
      while (end < text.length && !isBlank(text.charCodeAt(end)) && !marks.has(text[end]!)) end++
      this.#settle(text.slice(start, end), end, false)
    }
  }

  #settle(token: string, at: number, is_mark: boolean): void {
    this.#next = token
    this.#at = at
    this.#is_mark = is_mark
  }

  #skipBlank(): void {
    const text = this.#text
    for (;;) {
      const code = text.charCodeAt(this.#at)
      if (code === 10) this.line++
      if (isBlank(code)) this.#at++
      else if (text.startsWith('//', this.#at)) this.#at = endOf(text.indexOf('\n', this.#at), text)
      else if (text.startsWith('/*', this.#at)) this.#skipComment()
      else return
    }
  }

  #skipComment(): void {
    const end = this.#text.indexOf('*/', this.#at + 2)
    if (end < 0) throw this.fault('a comment has no end')
    for (let at = this.#at; at < end; at++) if (this.#text.charCodeAt(at) === 10) this.line++
    this.#at = end + 2
  }
}

/** Space, tab and line ends; also a byte order mark. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff || code === 0xa0
}

function endOf(at: number, text: string): number {
  return at < 0 ? text.length : at
}
