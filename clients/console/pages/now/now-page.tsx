import type { PageProps } from '../../shell/pages.ts'

export function NowPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
