import type { PageProps } from '../../shell/pages.ts'

export function PlaygroundPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
