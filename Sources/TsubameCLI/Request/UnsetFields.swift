// UnsetFields: removes fields from a request just before it is sent.

import Tsubame

/// Implements `Name:` on the command line, which also removes the library's own field of that name.
struct UnsetFields: MessageHook {
    let names: [HTTPField.Name]

    func willSend(_ request: inout Request) throws(CallError) {
        for name in names { request.headers[name] = nil }
    }
}
