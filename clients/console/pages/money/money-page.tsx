import type { PageProps } from '../../shell/pages.ts'

export function MoneyPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
