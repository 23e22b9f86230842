//! Turns a list of typed handlers into the plugin's ABI.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::to_text;
use crate::{Context, Refusal};

/// The plugin's ABI. [`plugin!`](crate::plugin!) implements it from a list of handlers.
pub trait Plugin {
    /// The operations it serves: exactly those of its manifest.
    fn operations() -> Vec<&'static str>;

    /// Runs one; `payload` and the answer are JSON.
    fn invoke(operation: &str, payload: &str, context: &Context<'_>) -> Result<String, Refusal>;
}

/// A plugin is the list of its operations. Each is a function `fn(Input, &Context) -> Result<Output,
/// Refusal>` of the same name, or `"name.with.dots" => function`. The list becomes a type that implements
/// [`Plugin`], and a component's exports.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use svc_plugin::{Context, Plugin, Refusal};
///
/// #[derive(Deserialize)]
/// struct Greet {
///     name: String,
/// }
///
/// #[derive(Serialize)]
/// struct Greeting {
///     greeting: String,
/// }
///
/// fn greet(input: Greet, _context: &Context) -> Result<Greeting, Refusal> {
///     Ok(Greeting { greeting: format!("Hello {}", input.name) })
/// }
///
/// svc_plugin::plugin! {
///     /// Greets the named person.
///     pub Greeter { greet, "greet.again" => greet }
/// }
///
/// assert_eq!(Greeter::operations(), ["greet", "greet.again"]);
/// ```
#[macro_export]
macro_rules! plugin {
    ($(#[$about:meta])* $visible:vis $plugin:ident {
        $($name:tt $(=> $handler:path)?),+ $(,)?
    }) => {
        $(#[$about])*
        $visible struct $plugin;

        impl $crate::Plugin for $plugin {
            fn operations() -> ::std::vec::Vec<&'static str> {
                ::std::vec![$($crate::operation_name!($name)),+]
            }

            fn invoke(
                operation: &str,
                payload: &str,
                context: &$crate::Context<'_>,
            ) -> ::std::result::Result<::std::string::String, $crate::Refusal> {
                $(if operation == $crate::operation_name!($name) {
                    return $crate::answer(
                        payload,
                        context,
                        $crate::operation_handler!($name $(=> $handler)?),
                    );
                })+
                $crate::unserved(operation)
            }
        }

        #[cfg(target_arch = "wasm32")]
        $crate::component::abi::export!($plugin with_types_in $crate::component::abi);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! operation_name {
    ($name:ident) => {
        ::std::stringify!($name)
    };
    ($name:literal) => {
        $name
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! operation_handler {
    ($name:ident) => {
        $name
    };
    ($name:tt => $handler:path) => {
        $handler
    };
}

/// One operation, from JSON to JSON.
#[doc(hidden)]
pub fn answer<Input, Output>(
    payload: &str,
    context: &Context<'_>,
    handler: impl FnOnce(Input, &Context<'_>) -> Result<Output, Refusal>,
) -> Result<String, Refusal>
where
    Input: DeserializeOwned,
    Output: Serialize,
{
    let input = serde_json::from_str(payload).map_err(|fault| {
        let message = format!("The input is not what the operation takes: {fault}; see its schema.");
        Refusal::invalid_payload(message).with_reason("input does not fit")
    })?;
    to_text(&handler(input, context)?)
}

/// The engine only invokes operations of the manifest, so the manifest lists too many.
#[doc(hidden)]
pub fn unserved(operation: &str) -> Result<String, Refusal> {
    let message = format!("The plugin serves no operation {operation}; its manifest must not list it.");
    Err(Refusal::not_found(message).with_reason("operation not served"))
}
