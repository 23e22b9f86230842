import { Button, Input } from '@mantine/core'
import { Field } from '../../../parts/field.tsx'
import { IdentityPicker } from '../../../parts/pickers.tsx'
import type { ShareDraft } from './dissolution.ts'

const shares_max = 256
const empty_share: ShareDraft = { asset_id: '*', to_did: '', share_bps: '10000' }

interface Props {
  readonly shares: readonly ShareDraft[]
  onChange(shares: readonly ShareDraft[]): void
}

/** How the remaining assets are distributed, in basis points. */
export function ShareFields({ shares, onChange }: Props) {
  const rows = shares.map((share, place) => ({ share, place }))
  const put = (place: number, share: ShareDraft) =>
    onChange(shares.map((each, at) => (at === place ? share : each)))
  return (
    <>
      <h3>Remaining assets go to</h3>
      {rows.map(({ share, place }) => (
        <fieldset key={place}>
          <legend>Share {place + 1}</legend>
          <div className="row">
            <Text
              label="Asset"
              hint="* means everything not named."
              value={share.asset_id}
              onChange={(asset_id) => put(place, { ...share, asset_id })}
            />
            <div className="field">
              <IdentityPicker
                label="To"
                hint="Somebody of another organization."
                is_required
                is_foreign
                value={share.to_did}
                onChange={(to_did) => put(place, { ...share, to_did })}
              />
            </div>
            <Text
              label="Share, bps"
              hint="10000 is all of it."
              value={share.share_bps}
              onChange={(share_bps) => put(place, { ...share, share_bps })}
            />
            <Button variant="default" onClick={() => onChange(shares.filter((_, at) => at !== place))}>
              Remove share {place + 1}
            </Button>
          </div>
        </fieldset>
      ))}
      <Button
        variant="default"
        disabled={shares.length >= shares_max}
        onClick={() => onChange([...shares, empty_share])}
      >
        Add a share
      </Button>
    </>
  )
}

interface TextProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  onChange(value: string): void
}

function Text({ label, hint, value, onChange }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => <Input {...ids} required value={value} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  )
}
