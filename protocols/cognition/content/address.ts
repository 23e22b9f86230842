// Names of content: some are made up, some are the hash of what they name and can therefore never mean anything else.
const hashed_form = /^[a-z]+:\/\/[a-z_]+\/(?:sha256:)?[0-9a-f]{64}$/

export function isContentAddressed(ref: string): boolean {
  return hashed_form.test(ref)
}
