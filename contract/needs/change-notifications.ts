// Notifies waiters that something changed, not what: they read it themselves.

export interface ChangeNotifications {
  /** Receives notifications of this topic from now on, by any engine on this database. Must be closed. */
  listen(topic: string): Listening
  /** Wakes listeners: here at once, on other engines shortly after. Sent after the rows are committed. */
  tell(topic: string): void
}

export interface Listening {
  /** True once notified since the last call; false on timeout or abort. */
  heard(wait_ms: number, signal?: AbortSignal): Promise<boolean>
  /** The same for a call that does nothing meanwhile and for which nothing runs: metered as waiting, not as work. */
  wait(wait_ms: number, signal?: AbortSignal): Promise<boolean>
  /** Since listening began; never decreases. */
  elapsed_ms(): number
  close(): void
}
