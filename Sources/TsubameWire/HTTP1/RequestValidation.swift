// RequestValidation: finds the part of a request that must not be sent, and says why. It is not on the fast path.

import HTTPTypes
import TsubameCore

enum RequestValidation {
    /// The limit stays below 65,535 fields, at which `HTTPFields` itself traps.
    static var maxFields: Int { 65_000 }

    private static func invalid(_ what: String) -> WireError { WireError(.invalidRequest, what) }

    static func check(method: String) throws(WireError) {
        guard !method.isEmpty else { throw invalid("the method is empty") }
        if let byte = method.utf8.first(where: { !ByteScan.isToken($0) }) {
            throw invalid("the method holds \(Quotation.of(byte)), which is not allowed there")
        }
    }

    static func check(target: String) throws(WireError) {
        guard !target.isEmpty else { throw invalid("the request target is empty") }
        if let byte = target.utf8.first(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            throw invalid("the request target holds \(Quotation.of(byte)), which has to be percent-encoded")
        }
    }

    static func check(authority: String) throws(WireError) {
        guard !authority.isEmpty else { throw invalid("the host is empty") }
        if let byte = authority.utf8.first(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            throw invalid("the host holds \(Quotation.of(byte)), which is not allowed there")
        }
    }

    static func check(_ framing: RequestEncoder.Framing) throws(WireError) {
        if case .length(..<0) = framing { throw invalid("the length of the body is negative") }
    }

    static func check(_ headers: HTTPFields) throws(WireError) {
        guard headers.count <= maxFields else { throw invalid("the request has more than \(maxFields) fields") }
        var hasHost = false
        for field in headers {
            let name = field.name.canonicalName
            guard !name.isEmpty, name.utf8.allSatisfy({ ByteScan.isToken($0) }) else {
                throw invalid("\(name.utf8.first == 0x3A ? "a pseudo-field" : "an invalid name") is among the fields")
            }
            switch name {
            case "content-length": throw invalid("Content-Length must not be set: it follows from the body")
            case "transfer-encoding": throw invalid("Transfer-Encoding must not be set: it follows from the body")
            case "host":
                guard !hasHost else { throw invalid("there are two Host fields") }
                hasHost = true
                try checkHost(field)
            default: break
            }
            let wrong: UInt8? = field.withUnsafeBytesOfValue { bytes in
                bytes.first { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
            }
            if let wrong {
                throw invalid("the value of \(field.name.rawName) holds a control character (\(Quotation.of(wrong)))")
            }
        }
    }

    /// Checks that the value is `host` or `host:port`, by the rules for a URL. The field is sent as it is written.
    /// Therefore its host must already have the form into which the host of a URL would be converted.
    private static func checkHost(_ field: HTTPField) throws(WireError) {
        let problem: URIProblem? = field.withUnsafeBytesOfValue { bytes in
            if bytes.contains(where: { $0 == 0x25 || $0 >= 0x80 }) {
                return URIProblem("has an escape or a non-ASCII character in its host; write A-labels (xn--…)")
            }
            do throws(URIProblem) {
                _ = try URIParser.authority(bytes, isSecure: false)
                return nil
            } catch {
                return error
            }
        }
        if let problem { throw invalid("the Host field \(problem.reason)") }
    }

    /// The Host that the caller set.
    static func host(_ headers: HTTPFields) -> String? { headers.first { $0.name.canonicalName == "host" }?.value }
}
