// This engine as a witness, as its routes ask it.
export interface WitnessReply {
  readonly status: number
  /** Content-Type. */
  readonly type: string
  readonly body: string
}

export interface WitnessHandler {
  addCheckpoint(body: string): Promise<WitnessReply>
  /** The newest note of a log that was cosigned here; undefined where there is none. */
  checkpoint(origin: string): Promise<string | undefined>
}
