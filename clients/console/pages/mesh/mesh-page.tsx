import type { PageProps } from '../../shell/pages.ts'

export function MeshPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
