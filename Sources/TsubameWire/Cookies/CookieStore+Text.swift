// CookieStore+Text: reads and writes a store as a `cookies.txt`.

extension CookieStore {
    /// Inserts the cookies of a text. An expired cookie removes the cookie that it would replace.
    /// - Returns: the lines that were not read, in order.
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

    /// The text of a `cookies.txt`: the heading, then the unexpired cookies in order of creation.
    /// - Parameter withOwner: whether a comment names the owner, for the jar's own file.
    package func text(now: Int64, withOwner: Bool = false) -> String {
        let heading = CookieText.heading + (withOwner ? "\(CookieText.ownerMark)\(owner)\n" : "")
        return stored.reduce(into: heading) { text, entry in
            if !entry.isOver(at: now) { text += CookieText.line(entry.cookie) ?? "" }
        }
    }
}
