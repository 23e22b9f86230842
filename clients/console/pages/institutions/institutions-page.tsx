import type { PageProps } from '../../shell/pages.ts'

export function InstitutionsPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
