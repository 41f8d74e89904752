// ParsedBody: the JSON of a body, which many checks of one response look at.

import Synchronization

final class ParsedBody: Sendable {
    private let json = Mutex<Result<JSONValue, JSONSyntax.Fault>?>(nil)

    /// The value of the text, which is always the same one.
    func json(of text: String) throws(JSONSyntax.Fault) -> JSONValue {
        let result = json.withLock { json in
            if let json { return json }
            let found: Result<JSONValue, JSONSyntax.Fault>
            do throws(JSONSyntax.Fault) {
                found = .success(try JSONValue(text))
            } catch {
                found = .failure(error)
            }
            json = found
            return found
        }
        return try result.get()
    }
}
