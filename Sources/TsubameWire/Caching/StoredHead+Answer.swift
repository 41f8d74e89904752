// The fields of an answer that is made of a stored response.

package import HTTPTypes

extension StoredHead {
    /// What goes along with a 304 (RFC 9110 section 15.4.5); Last-Modified too, for those who have no entity tag.
    private static let validatedFields: Set<String> = [
        "cache-control", "content-location", "date", "etag", "expires", "vary", "last-modified", "cache-status",
    ]

    /// The fields of the stored response, with its age.
    /// - Parameters:
    ///   - isValidated: whether the origin has just said that it holds; otherwise the fields that `no-cache` names are
    ///     left out.
    ///   - status: what becomes of Cache-Status.
    package func answer(
        _ terms: StoredTerms, at now: Double, isValidated: Bool, status: CacheStatus
    ) -> HTTPFields {
        var answer = fields
        if !isValidated, case .fields(let names) = terms.control.noCache {
            for name in names { if let name = HTTPField.Name(name) { answer[fields: name] = [] } }
        }
        if answer.contains(.age) { answer[fields: .age] = [] }
        // One that has just come from its origin need not be said to be old.
        let age = Freshness.whole(terms.freshness.age(at: now))
        if !isValidated || age > 0 { answer.append(HTTPField(name: .age, value: String(age))) }
        answer.append(HTTPField(name: .cacheStatus, value: status.text))
        return answer
    }

    /// Of the fields of a whole answer those of a 304.
    package static func notModified(_ answer: HTTPFields) -> HTTPFields {
        var fields = HTTPFields()
        for field in answer where validatedFields.contains(field.name.canonicalName) || field.name == .age {
            fields.append(field)
        }
        return fields
    }

    /// Of the fields of a whole answer those of a 206 with this part of it, or of a 416.
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

extension HTTPField.Name {
    package static let cacheStatus = HTTPField.Name("Cache-Status") ?? .cacheControl
}
