// What a policy covers, read from its Cedar text for people: its effect, the calls it names, its reason and who can approve.

export interface PolicyRule {
  readonly effect: 'forbid' | 'permit'
  /** Such as `MADE` or `MAKER execute_action`; empty: any call. */
  readonly calls: readonly string[]
  readonly reason?: string
  readonly approval?: string
}

/** In the order of the text. What is no rule is left out: the engine says what is wrong with it. */
export function rulesIn(text: string): PolicyRule[] {
  return statementsIn(text).flatMap((statement) => {
    const effect = /\b(forbid|permit)\s*\(/.exec(withoutTexts(statement))?.[1] as
      | PolicyRule['effect']
      | undefined
    if (effect === undefined) return []
    const [reason, approval] = [annotation(statement, 'reason'), annotation(statement, 'approval')]
    return [{ effect, calls: callsIn(statement), ...(reason && { reason }), ...(approval && { approval }) }]
  })
}

/** Divided at the semicolons that are not in a text, without comments. */
function statementsIn(text: string): string[] {
  const statements = ['']
  for (const [part] of text.matchAll(/\/\/[^\n]*|"(?:\\.|[^"\\])*"|;|[^"/;]+|./gs))
    if (part === ';') statements.push('')
    else if (!part.startsWith('//')) statements[statements.length - 1] += part
  return statements
}

function withoutTexts(statement: string): string {
  return statement.replace(/"(?:\\.|[^"\\])*"/g, '""')
}

function annotation(statement: string, name: string): string | undefined {
  return new RegExp(`@${name}\\(\\s*"((?:\\\\.|[^"\\\\])*)"\\s*\\)`).exec(statement)?.[1]
}

function callsIn(statement: string): string[] {
  const named = (field: string) =>
    [...statement.matchAll(new RegExp(`resource\\.${field}\\s*==\\s*"([^"]+)"`, 'g'))].map(
      ([, name]) => name!,
    )
  const [protocols, operations] = [named('protocol'), named('operation')]
  if (protocols.length === 1 && operations.length > 0)
    return operations.map((operation) => `${protocols[0]} ${operation}`)
  return [...protocols, ...operations]
}
