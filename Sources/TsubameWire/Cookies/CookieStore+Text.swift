// A store as a `cookies.txt`, and the way back.

extension CookieStore {
    /// Takes the cookies of a text; those whose time is over end the ones that they would replace.
    /// - Returns: the lines that were not read, in their order.
    package mutating func insert(_ contents: CookieText.Contents, now: Int64) -> [CookieLineProblem] {
        var problems = contents.problems
        for (line, cookie) in contents.cookies {
            do throws(CookieRefusal) {
                try insert(cookie, now: now)
            } catch {
                problems.append(CookieLineProblem(line: line, reason: error.description))
            }
        }
        return problems.sorted { $0.line < $1.line }
    }

    /// The cookies in order of creation, with the heading, without those whose time is over.
    /// - Parameter withOwner: whether a comment names the owner, for the jar's own file.
    package func text(now: Int64, withOwner: Bool = false) -> String {
        let heading = CookieText.heading + (withOwner ? "\(CookieText.ownerMark)\(owner)\n" : "")
        return stored.reduce(into: heading) { text, entry in
            if !entry.isOver(at: now) { text += CookieText.line(entry.cookie) ?? "" }
        }
    }
}
