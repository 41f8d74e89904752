// StoredHead+Update: the changes that a later response makes to a stored one (RFC 9111 sections 3.2, 4.3.4, 4.3.5).

package import HTTPTypes

extension StoredHead {
    /// Whether a 304 response refers to this stored response: by a strong validator, by a weak one, or without any
    /// (section 4.3.4).
    /// - Parameter isAsked: whether the 304 answers a condition made from this stored response. If not, a 304 without
    ///   a validator does not refer to it.
    package func isMeant(by update: HTTPFields, isAsked: Bool = true) -> Bool {
        let stored = StoredTerms(self)
        if let tag = update[values: .eTag].first.flatMap({ EntityTag($0) }) {
            guard let own = stored.entityTag else { return false }
            return tag.isWeak ? tag.isWeaklyEqual(to: own) : tag.isStronglyEqual(to: own)
        }
        if let modified = update[values: .lastModified].first.flatMap({ HTTPDate.parse($0) }) {
            return stored.lastModifiedTime == modified
        }
        return isAsked
    }

    /// Whether the response to a HEAD still describes this stored response: it has the same validators and the same
    /// length (section 4.3.5).
    package func isDescribed(by head: HTTPFields, status: Int) -> Bool {
        guard status == self.status, isMeant(by: head) else { return false }
        for name in [HTTPField.Name.eTag, .lastModified] where fields.contains(name) && !head.contains(name) {
            return false
        }
        guard let length = head[.contentLength], let own = fields[.contentLength] else { return true }
        return length == own
    }

    /// The stored response, updated with the fields of a new one. Each new field replaces the stored fields of that
    /// name. The fields that describe the framing and coding of the stored body stay.
    package func updated(by update: HTTPFields, requestTime: Double, responseTime: Double) -> StoredHead {
        let named = StoringRules.named(in: update)
        var changed = self
        changed.requestTime = requestTime
        changed.responseTime = responseTime
        // Age and Date are removed even if the update does not have them. The stored values would make the response
        // as old as before.
        for name in [HTTPField.Name.age, .date] { changed.fields[fields: name] = [] }
        var replaced: Set<String> = []
        for field in update {
            let name = field.name.canonicalName
            switch name {
            case "content-length", "content-encoding", "content-range": continue
            default: break
            }
            if StoringRules.isUnstored(name, named) { continue }
            if replaced.insert(name).inserted { changed.fields[fields: field.name] = [] }
            changed.fields.append(field)
        }
        return changed
    }
}
