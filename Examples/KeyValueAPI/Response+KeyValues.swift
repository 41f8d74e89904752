// Response+KeyValues: the parameters of a response such as `key1=value1&key2=value2&END`.

public import Tsubame

extension Response {
    /// The parameters of a body of the form `key1=value1&key2=value2&…&END`. Text after the terminator is ignored.
    /// - Throws: ``CallError/Kind/incompleteResponse`` if the terminator is missing, because the body is then cut off.
    ///   Also the errors of `text()`.
    public func keyValues(terminator: String = "END") throws(CallError) -> Parameters {
        let text = try text()
        let mayBeEmpty = statusCode == 204 || statusCode == 205 || request.method == .head
        if text.isEmpty, mayBeEmpty { return Parameters() }
        do throws(KeyValueTextError) {
            return try KeyValueText.decode(text, terminator: terminator)
        } catch {
            throw CallError(
                .incompleteResponse, error.description, phase: .decoding, underlying: error, request: request,
                response: self)
        }
    }
}
