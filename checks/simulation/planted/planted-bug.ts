// A bug to plant in a copy of the repository: one text replaced by another.
export interface PlantedBug {
  readonly name: string
  /** The part whose seeds must find it. */
  readonly part: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly old_text: string
  readonly new_text: string
}
