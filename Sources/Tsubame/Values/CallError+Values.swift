// CallError+Values: the status and the decoded body of the response in an error.

public import HTTPTypes
public import TsubameCore

extension CallError {
    /// The status of the response, such as 404; nil if there was no response.
    public var status: HTTPResponse.Status? { response?.status }

    /// The body of the response as a value from JSON, decoded as ``Configuration/json`` says.
    ///
    /// ```swift
    /// do { … } catch {
    ///     print(error.decode(Problem.self)?.title ?? "\(error)")
    /// }
    /// ```
    /// - Returns: nil if there was no response, or if its first 64 KiB are no such value.
    public func decode<T: Decodable>(_ type: T.Type = T.self) -> T? { try? response?.decodeJSON(type) }
}
