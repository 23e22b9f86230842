//! The plugin's side of the ABI `svc:plugin/plugin`: there only in a component.

use std::panic;
use std::sync::Once;

use crate::refusal::each_code;
use crate::{Code, Context, Host, Invocation, Level, Plugin};

/// Written by wit-bindgen from the WIT; what it writes is not ours to polish.
#[allow(unsafe_code, missing_docs, clippy::all)]
pub mod abi {
    wit_bindgen::generate!({
        path: "wit",
        world: "plugin",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin::component::abi",
    });
}

use abi::svc::plugin::host;
use abi::svc::plugin::refusals::Code as AbiCode;
use abi::{Guest, Refusal};

impl<P: Plugin> Guest for P {
    fn operations() -> Vec<String> {
        P::operations().into_iter().map(String::from).collect()
    }

    fn invoke(operation: String, payload: String, context: String) -> Result<String, Refusal> {
        tell_of_panics();
        let invocation: Invocation = serde_json::from_str(&context).map_err(|fault| {
            let message = format!("The engine's context is not one that this plugin knows: {fault}.");
            crate::Refusal::new(Code::ProtocolError, message)
        })?;
        let context = Context::new(invocation, &Engine);
        Ok(P::invoke(&operation, &payload, &context)?)
    }
}

/// A component that panics is gone without a word; its operator wants to know the line.
fn tell_of_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| host::log(host::Level::Error, &info.to_string())));
    });
}

/// The engine, as the ABI offers it.
struct Engine;

impl Host for Engine {
    fn log(&self, level: Level, message: &str) {
        let level = match level {
            Level::Debug => host::Level::Debug,
            Level::Info => host::Level::Info,
            Level::Warn => host::Level::Warn,
            Level::Error => host::Level::Error,
        };
        host::log(level, message);
    }

    fn config(&self) -> String {
        host::config()
    }

    fn audit(&self, event_type: &str, meta: &str) -> Result<(), crate::Refusal> {
        Ok(host::audit(event_type, meta)?)
    }

    fn call(&self, protocol: &str, operation: &str, input: &str) -> Result<String, crate::Refusal> {
        Ok(host::call(protocol, operation, input)?)
    }

    fn progress(&self, message: &str, fraction: Option<f64>) {
        host::progress(message, fraction);
    }
}

macro_rules! translate_code {
    ($($code:ident => $wire:literal,)+) => {
        impl From<Code> for AbiCode {
            fn from(code: Code) -> Self {
                match code {
                    $(Code::$code => AbiCode::$code,)+
                }
            }
        }

        impl From<AbiCode> for Code {
            fn from(code: AbiCode) -> Self {
                match code {
                    $(AbiCode::$code => Code::$code,)+
                }
            }
        }
    };
}

each_code!(translate_code);

impl From<crate::Refusal> for Refusal {
    fn from(refusal: crate::Refusal) -> Self {
        Self {
            code: refusal.code.into(),
            message: refusal.message,
            reason: refusal.reason,
            details: refusal.details.map(|details| details.to_string()),
        }
    }
}

impl From<Refusal> for crate::Refusal {
    fn from(refusal: Refusal) -> Self {
        Self {
            code: refusal.code.into(),
            message: refusal.message,
            reason: refusal.reason,
            details: refusal.details.and_then(|details| serde_json::from_str(&details).ok()),
        }
    }
}
