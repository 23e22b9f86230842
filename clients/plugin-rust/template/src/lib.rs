//! {{protocol}}: what the plugin {{name}} serves. operations.json says to everybody else what each operation takes and answers.

use serde::{Deserialize, Serialize};
use svc_plugin::{Context, Level, Refusal};

svc_plugin::plugin! {
    /// Says hello.
    pub Hello { hello }
}

#[derive(Deserialize)]
struct Somebody {
    name: String,
}

#[derive(Serialize)]
struct Greeting {
    greeting: String,
}

fn hello(input: Somebody, context: &Context) -> Result<Greeting, Refusal> {
    let name = input.name.trim();
    if name.is_empty() {
        let message = "Nobody can be greeted without a name; send one.";
        return Err(Refusal::invalid_payload(message));
    }
    context.log(Level::Debug, "somebody is greeted");
    let greeting = format!("Hello, {name}!");
    Ok(Greeting { greeting })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use svc_plugin::{Code, RecordingHost};

    use super::Hello;

    #[test]
    fn says_hello_and_refuses_nobody_but_the_nameless() {
        let host = RecordingHost::new();
        let answer = host.invoke::<Hello>("hello", &json!({ "name": "Ada" }));
        assert_eq!(answer, Ok(json!({ "greeting": "Hello, Ada!" })));
        let refused = host.invoke::<Hello>("hello", &json!({ "name": " " }));
        let code = refused.map_err(|refusal| refusal.code);
        assert_eq!(code, Err(Code::InvalidPayload));
    }
}
