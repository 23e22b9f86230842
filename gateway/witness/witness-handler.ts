// This engine as a witness, for its routes.
export interface WitnessReply {
  readonly status: number
  /** Content-Type. */
  readonly type: string
  readonly body: string
}

export interface WitnessHandler {
  addCheckpoint(body: string): Promise<WitnessReply>
  /** Proof that a log's key was changed by the key trusted here. */
  addRotation(body: string): Promise<WitnessReply>
  /** The newest cosigned note of a log; undefined where there is none. */
  checkpoint(origin: string): Promise<string | undefined>
}
