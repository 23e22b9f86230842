// SIGTERM and Ctrl-C drain; the second one exits at once.

export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143)
    stopping = true
    console.error(
      'Stopping: finishing calls in flight, then writing the audit log. Signal again to stop at once.',
    )
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(`Stopping failed: ${(error as Error).message}`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
