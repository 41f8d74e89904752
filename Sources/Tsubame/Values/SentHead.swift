// SentHead: the head of a request as it goes over the network.

package import HTTPTypes
package import TsubameCore
import TsubamePlatform
import TsubameWire

package enum SentHead {
    /// The bytes that the engine sends for this request, from the same encoder. For HTTP/2, the sent fields as lines.
    package static func bytes(of request: Request, _ version: HTTPVersion = .http11) throws(CallError) -> Bytes {
        guard let uri = request.uri else { return Bytes() }
        if version == .http2 { return try bytes(overHTTP2: request, uri) }
        let method = request.method.rawValue
        let target = request.asksServer ? "*" : uri.target
        let capacity = RequestEncoder.capacity(
            method: method, target: target, authority: uri.authority, headers: request.headers.fields)
        do throws(WireError) {
            let framing = framing(of: request)
            return try Bytes(capacity: capacity) { output throws(WireError) in
                try RequestEncoder.write(
                    method: method, target: target, authority: uri.authority, headers: request.headers.fields,
                    framing: framing, isOld: version == .http10, into: output)
            }
        } catch {
            throw CallError(error, phase: .preparing)
        }
    }

    /// The fields in the order in which they go over the network, with those that the engine adds, but for `Proxy-Authorization`.
    /// The fields of a request that cannot be sent are those that it has.
    package static func fields(of request: Request, _ version: HTTPVersion = .http11) -> [HTTPField] {
        guard let bytes = try? bytes(of: request, version), !bytes.isEmpty else { return Array(request.headers) }
        let lines = bytes.withUnsafeBytes { ReceivedHead.text($0) }.split(separator: "\r\n").dropFirst()
        return lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else {
                return nil
            }
            return HTTPField(name: name, value: String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
    }

    private static func bytes(overHTTP2 request: Request, _ uri: TargetURI) throws(CallError) -> Bytes {
        let length: Int64? = if case .length(let length) = framing(of: request) { length } else { nil }
        do throws(WireError) {
            return try HTTP2SentHead.bytes(
                method: request.method.rawValue, authority: uri.authority,
                target: request.asksServer ? "*" : uri.target,
                headers: request.headers.fields, length: length)
        } catch {
            throw CallError(error, phase: .preparing)
        }
    }

    private static func framing(of request: Request) -> RequestEncoder.Framing {
        if request.body.trailers != nil { return .chunked }
        return switch request.body.content {
        case nil: request.method.expectsBody ? .length(0) : .none
        case .file(let path): .length(FileStatus(of: path)?.size ?? 0)
        default: request.body.length.map { .length($0) } ?? .chunked
        }
    }
}
