// TemplateText+Joined: joins the pieces that a parser read one after another.

extension TemplateText {
    /// The same text with neighbouring texts joined.
    var joined: TemplateText {
        var (result, text): ([Part], String) = ([], "")
        for part in parts {
            switch part {
            case .text(let more): text += more
            case .expression:
                if !text.isEmpty { result.append(.text(text)) }
                text = ""
                result.append(part)
            }
        }
        if !text.isEmpty { result.append(.text(text)) }
        return TemplateText(result)
    }
}
