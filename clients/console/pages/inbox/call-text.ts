/** The operation of a call, as the reference names it. */
export function callText({ protocol, operation }: { protocol: string; operation: string }): string {
  return `${protocol} ${operation}`
}
