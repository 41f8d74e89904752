// RequestBody+Reading: reads a request's own body, in signers and in the records of stubs.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TsubameCore

extension RequestBody {
    /// All bytes of the body, for an interceptor that signs them.
    ///
    /// A file is read, and a stream is opened for this one reading. A value that is sent as JSON is encoded as the client
    /// says once the interceptors see it.
    /// - Parameter limit: the most bytes, 64 MiB by default.
    /// - Throws: ``CallError`` of kind `requestBody` if the body can be sent only once, since nothing would be left to
    ///   send, or if it cannot be read; `limitExceeded` if it is longer.
    public func collect(upTo limit: Int = 64 << 20) async throws(CallError) -> Bytes {
        guard canBeSentAgain else {
            throw CallError(
                .requestBody, "the body can be read only once, so reading it would leave nothing to send",
                advice: "make the body with RequestBody.stream { … }, which opens it each time")
        }
        let open: @Sendable () -> any BodyReader
        let body = resolved(by: nil)
        switch body.content {
        case nil: return Bytes()
        case .failed(let error): throw error
        case .bytes(let bytes) where bytes.count <= limit: return bytes
        default:
            guard case .stream(let opening, _) = body.chunked().content else { return Bytes() }
            open = opening
        }
        let reader = open()
        var pieces: [Bytes] = []
        var count = 0
        do {
            while let piece = try await reader.next() {
                count += piece.count
                guard count <= limit else {
                    throw CallError(.limitExceeded, "the request's body is longer than \(limit) bytes")
                }
                pieces.append(piece)
            }
        } catch let error as CallError {
            throw error
        } catch {
            throw CallError(.requestBody, "the body cannot be read: \(error)", underlying: error)
        }
        return pieces.count == 1 ? pieces[0] : Bytes(pieces.joined())
    }

    /// The value of a body in memory, decoded from JSON, for tests that look at what was sent.
    ///
    /// ```swift
    /// let sent = try stub.requests[0].body.json(User.self)
    /// ```
    /// - Throws: ``CallError`` of kind `decoding`, or `misuse` for a body that is not in memory.
    public func json<T: Decodable>(_ type: T.Type = T.self, by coding: JSONCoding = .standard) throws(CallError) -> T {
        guard let bytes = resolved(by: nil).bytes else {
            throw CallError(
                .misuse, "the request's body is not in memory", phase: .decoding, advice: "await body.collect() first")
        }
        do {
            return try coding.decoder().decode(type, from: Data(bytes))
        } catch {
            throw CallError(
                .decoding, "the request's body cannot be decoded as \(type) from JSON: \(Response.words(error))",
                phase: .decoding, underlying: error)
        }
    }
}
