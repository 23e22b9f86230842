import type { PageProps } from '../../shell/pages.ts'

export function AccessPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
