import { Alert, Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { words } from '../words/en.ts'

/** Contains a page's error, so that other pages keep working. */
export class PageBoundary extends Component<{ children: ReactNode }, { broken: Error | undefined }> {
  override state: { broken: Error | undefined } = { broken: undefined }

  static getDerivedStateFromError(broken: Error) {
    return { broken }
  }

  override render() {
    const { broken } = this.state
    if (!broken) return this.props.children
    return (
      <Alert color="red" title={words.page_failed}>
        <p>{broken.message}</p>
        <Button variant="default" onClick={() => this.setState({ broken: undefined })}>
          {words.try_again}
        </Button>
      </Alert>
    )
  }
}
