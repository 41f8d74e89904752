// StoredHead+Answer: the fields of a response that the cache makes from a stored response.

package import HTTPTypes
import TsubameCore

extension StoredHead {
    /// The fields that a 304 carries (RFC 9110 section 15.4.5). Last-Modified is included for responses without an
    /// entity tag.
    private static let validatedFields: Set<String> = [
        "cache-control", "content-location", "date", "etag", "expires", "vary", "last-modified", "cache-status",
    ]

    /// The fields of the stored response, with Age and Cache-Status.
    /// - Parameters:
    ///   - isValidated: whether the origin has just confirmed the response. If not, the fields that `no-cache` names
    ///     are left out.
    ///   - status: the value of Cache-Status.
    package func answer(
        _ terms: StoredTerms, at now: Double, isValidated: Bool, status: CacheStatus
    ) -> HTTPFields {
        var answer = fields
        if !isValidated, case .fields(let names) = terms.control.noCache {
            for name in names { if let name = HTTPField.Name(name) { answer[fields: name] = [] } }
        }
        if answer.contains(.age) { answer[fields: .age] = [] }
        // A response that the origin has just confirmed needs no Age of 0.
        let age = Freshness.whole(terms.freshness.age(at: now))
        if !isValidated || age > 0 { answer.append(HTTPField(name: .age, value: String(age))) }
        answer.append(HTTPField(name: .cacheStatus, value: status.text))
        return answer
    }

    /// The fields of a 304 response, taken from those of the whole response.
    package static func notModified(_ answer: HTTPFields) -> HTTPFields {
        var fields = HTTPFields()
        for field in answer where validatedFields.contains(field.name.canonicalName) || field.name == .age {
            fields.append(field)
        }
        return fields
    }

    /// The fields of a 206 response with the given part, or of a 416 response if `part` is nil. They are taken from
    /// the fields of the whole response.
    package static func partial(_ answer: HTTPFields, _ part: Range<Int64>?, of length: Int64) -> HTTPFields {
        var fields = answer
        if let part {
            fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
            fields[.contentLength] = String(part.upperBound - part.lowerBound)
        } else {
            fields = notModified(answer)
            fields[.contentRange] = "bytes */\(length)"
            fields[.contentLength] = "0"
        }
        return fields
    }
}
