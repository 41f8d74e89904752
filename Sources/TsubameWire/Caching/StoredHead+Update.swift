// What a later answer changes in a stored response (RFC 9111 sections 3.2, 4.3.4 and 4.3.5).

package import HTTPTypes

extension StoredHead {
    /// Whether a 304 speaks of this response: by a strong validator, by a weak one, or by none at all (section 4.3.4).
    /// - Parameter isAsked: whether it answers the condition of this response; without a validator it may speak of any other
    ///   one.
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

    /// Whether the answer to a HEAD still describes this response: the same validators and the same length (section
    /// 4.3.5).
    package func isDescribed(by head: HTTPFields, status: Int) -> Bool {
        guard status == self.status, isMeant(by: head) else { return false }
        for name in [HTTPField.Name.eTag, .lastModified] where fields.contains(name) && !head.contains(name) {
            return false
        }
        guard let length = head[.contentLength], let own = fields[.contentLength] else { return true }
        return length == own
    }

    /// The response with what the answer says of it: each field that it has takes the place of the stored ones of that
    /// name, but for those that say how the stored body is framed and coded.
    package func updated(by update: HTTPFields, requestTime: Double, responseTime: Double) -> StoredHead {
        let named = StoringRules.named(in: update)
        var changed = self
        changed.requestTime = requestTime
        changed.responseTime = responseTime
        // Those that are not said again would make the response as old as it was before.
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
