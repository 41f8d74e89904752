// TerminalTraitsTests: the traits of a terminal that the environment shows.
import Testing
import TsubameTerminal

@Suite struct TerminalTraitsTests {
    private func traits(_ variables: [String: String]) -> TerminalTraits { TerminalTraits { variables[$0] } }

    @Test func backgroundsAreReadFromTheLastColour() {
        for (colours, theme) in [
            ("15;0", Theme.dark), ("0;15", .light), ("0;7", .light), ("0;default;15", .light), ("15;8", .dark),
            ("15;default", .dark), (";", .dark), ("99999999999999999999999;1", .dark),
        ] {
            #expect(traits(["COLORFGBG": colours]).theme == theme)
        }
        #expect(traits([:]).theme == .dark)
    }

    @Test func moreThanASCIIIsShownInALocaleOfUTF8() {
        #expect(traits(["LANG": "ja_JP.UTF-8"]).isUnicode)
        #expect(traits(["LANG": "C", "LC_ALL": "C.utf8"]).isUnicode)
        #expect(!traits(["LANG": "ja_JP.UTF-8", "LC_ALL": "C"]).isUnicode)
        #expect(traits(["LANG": "ja_JP.UTF-8", "LC_ALL": ""]).isUnicode)
        #expect(!traits([:]).isUnicode)
    }

    @Test func terminalsThatShowImagesAreKnownByName() {
        #expect(traits(["TERM": "xterm-kitty"]).images == .kitty)
        #expect(traits(["TERM": "xterm-256color", "KONSOLE_VERSION": "220401"]).images == .kitty)
        #expect(traits(["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"]).images == .iterm2)
        #expect(traits(["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"]).images == .iterm2)
        #expect(traits(["TERM": "mlterm-256color"]).images == .sixel)
        #expect(traits(["TERM": "xterm-256color"]).images == nil)
        #expect(traits(["TERM": "dumb", "KITTY_WINDOW_ID": "1"]).images == nil)
        #expect(traits(["TERM": "xterm-kitty", "STY": "1.pts"]).images == nil)
    }

    @Test func everyRoleThatSaysSomethingLooksDifferentFromText() {
        for theme in [Theme.dark, .light] {
            for role in Role.allCases where ![.plain, .punctuation, .fieldValue].contains(role) {
                #expect(theme.parameters(of: role) != nil, "\(role) in \(theme)")
            }
        }
        // No colour may be pale on white.
        for role in Role.allCases {
            let parameters = Theme.light.parameters(of: role) ?? ""
            #expect(!["33", "37", "93", "96", "97", "92"].contains(parameters), "\(role)")
        }
    }
}
