// The greeting texts: pure, so that tests need no host.

const words = { de: 'Guten Tag', en: 'Hello', fr: 'Bonjour' } as const

export type Language = keyof typeof words
export const languages = ['de', 'en', 'fr'] as const satisfies readonly Language[]

export function greet(name: string, language: Language): string {
  return `${words[language]}, ${name}!`
}

export function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(words, text)
}
