// UnsetFields: fields that are taken out again before a request is sent.
#if Tool
import Tsubame

/// `Name:` on the command line: not even the library's own field of that name is sent.
struct UnsetFields: Hook {
    let names: [HTTPField.Name]

    func willSend(_ request: inout Request) throws(CallError) {
        for name in names { request.headers[fields: name] = [] }
    }
}

#endif
