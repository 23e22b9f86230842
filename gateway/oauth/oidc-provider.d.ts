// The package's main module prints a warning on every Node that is not yet a long-term release; these are its inner modules.

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider'
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider'
  export const CustomOIDCProviderError: typeof errors.CustomOIDCProviderError
  export const InvalidGrant: typeof errors.InvalidGrant
  export const InvalidTarget: typeof errors.InvalidTarget
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import { interactionPolicy } from 'oidc-provider'
  export const base: typeof interactionPolicy.base
  export const Check: typeof interactionPolicy.Check
}
