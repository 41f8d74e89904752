// The images, made by Scripts/tables/make-images.py.
#if Server

enum ImageTableData {
    static let svg = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
          <title>Swallow</title>
          <rect width="64" height="64" fill="#dceaf4"/>
          <polygon fill="#1d2f4f" points="2,14 24,22 34,30 60,6 44,38 40,44 30,62 31,50 18,56 26,42 20,30"/>
          <polygon fill="#1d2f4f" points="34,30 46,34 54,44 46,46 38,44"/>
          <polygon fill="#b5452c" points="46,38 54,44 45,46"/>
        </svg>

        """

    /// In base64.
    static let png = """
        iVBORw0KGgoAAAANSUhEUgAAAEAAAABABAMAAABYR2ztAAAAMFBMVEXo9v7g7vje6vPc6vTc6vPb6PPZ5/HP3eiZprhhU2IgMVEzL0YdL08d\
        L04XKUoPIUPzCER8AAADhUlEQVR42sVVXWgTWRg9cydY45KZSXWpSUwyLOhKbdrUul3RVlktXbUa1ir+L7qsgiwq+uKDgvugIoKCP1S7T2rV\
        qgvqUi2ysFKsiopaatoKqQjTas0MNuZn1RrbzvgwySSZjOOj83TvcO75zv2+c7+PqoD5R/CVAeQLADLJbw7gbzA87TQheL3lYIEZgze0noMJ\
        A3l0/KZDNGEoWbg2HjMRSbfWyg0CCGjeGFC87NerLEDo4vbphgQXKq+FAoBleCp3dGOHAUFNHdpjAFUxcOvyrkq3oCd4cmEkwPgAelLx8HbX\
        g+6fwrorrAxY7rSxAO14d76szuo6UcXGsgluXv830eMQAdqpzP+/stTx3bFIWQZBXL9b7L7/pBhAOxFp87749heX9e9FWhjvjTNx2VNfAIB2\
        QqmSdrx6uO6j7/DsaIpgZHeYo++0sSoAg+3OD/zdWn/h2XI1ivtWcxL9PQ4xBVDKjzSJ9si75UwTCwB08IjAQZWgVjNRLvqS1Oj91VKhCMBX\
        ujOJlAS1WPKYXeMFEL51ZhMP0OcrWwDLVVa9sBMAovO7V8YB2w8Fl1mU1G5LIi0BVEU6szIPyGWrCrvUpedAv5BhgFKT2CwB1OOig/N+XkFB\
        k6BZbrCtaIgDbLPGNm4VOCCVhQxAqf6rUQKort/YKisyEjKmfW21DnEAOzhHApDOQtbLkv3qjxEBAGSmIeUQi1bBnkvxoHYinYWct6lkGaIv\
        FEg7Q3s4SgUZ4tKbhJQQ9SGAqE1buhcyPj0D3l48LWmbDygU8xpIlgjq7Y8teSLlBa2a+Ucf1cfyQoAtYjWV4feecdnVVNm648F0tA6sV2Xm\
        vG4lkZbgAZr+8H+2ywkAoHzfkgewM+r5+ucCAMLoRZYsEzkAYK4scXcCUUbMBZDBxV4AkKfMsYUQ7dtHdAwkeEoCAPr2s3MPXXt714V1tXDV\
        9KuV7J0xefjUpjdqV8nKg2+ujZf7edm7CKC8Qp4fyMU6Xn65FFC6AEUw6PZ2Tn65+DA/cGlJ9tUzGqat+cdSdyAZc7cbzwvy1DN59qE/J3T4\
        GgRDABVc2tu4ZwPoKywMQ7gWPLvXsCECEgp0Go+kb042Bzo5atqLmLGGgXBztQDAcza3p2qpVu5WC0DRxM7w56ZetQAgzkX8MBaZcsnH/aWm\
        c7NPNh+s5JUU0Lf9nKGm2MeEzEfz6HV9iE9eOzkLIB8yMwAAAABJRU5ErkJggg==
        """

    /// In base64.
    static let jpeg = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1x\
        eXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAAR\
        CABAAEADASIAAhEBAxEB/8QAGwAAAgIDAQAAAAAAAAAAAAAAAAYEBQIDBwH/xAAtEAACAQMBBwMDBQEAAAAAAAABAgMABBEFBhIhMUFRYSKR\
        0ROBwSMyUqHwsf/EABcBAQEBAQAAAAAAAAAAAAAAAAABAgP/xAAaEQEBAQEAAwAAAAAAAAAAAAAAARECEjFR/9oADAMBAAIRAxEAPwB0orUb\
        iFZxA0qrKRkKxwWHjv8AattbcxRRRQFFFeUBXgdS7IGBZQCw7Z5VR7QbQrpwNta4lvWwMYyEz38+KsdJs2srBI5WLzufqTOTks55/H2q4M9Q\
        0+31K2MFym8vNWH7kPcHoaULq41vZqcRm4M1sT+mZBvKw7dwfGaea03VtDeW7wXEYkjccVP+50lC7Y7Z20mFvYHhb+cfqX25j+6ZIJ4rmFZo\
        JFkjcZVlOQa55r+hyaRMGVvqW0hIjc8x4PmtWj6zc6TNvRHfiY+uJjwbz4PmteO+k10ylraPaRbINaWLBrnk8g4iP5b/AJUPWdrhLarFpu/G\
        7r65GGCngefNKYBZgACzE8B1JpOfpph2R09r7VGvJsslud4luO855fPtT3UDRNPGmaZFb4H1Mb0h7sefx9qsKzbtUUUUVBC1iwXU9NmtjjeY\
        ZQnow5f7zXMHVkdkcFWU4IPQ11mSRIo2kkYKiAszHoBXLtTuxfajcXSoEWVywUdvmt8pUWpFhO9tfQzpGJWiYOEPI4rC2t5Lq5jghXekkYKo\
        q/j2V1K2uQd2KZcEBkf8HFXu5K1xJ11JTlY3kN/aJc27ZRx15g9QfIqRVJomlXenzO8kkaxyD1xg5yeh7A1d1yl2avfM5uS6KKKKrJe2ne8v\
        VXS9PheRnw0zDgqr0BPIZ51VvsotlpVzd3s+/LHEWVI+Cg9MnrTpUTVrV73TZrWM7pmwhbsMjJ9s1qUL2xWl4V9SlXicpDnt1P496bKwghjt\
        4EhiXdjjUKo7AVsqW6CiiioP/9k=
        """

    /// In base64.
    static let webp = """
        UklGRsABAABXRUJQVlA4ILQBAADwCQCdASpAAEAAPslWpkunpSOhs/ZpWPAZCWMAzywKxZLmaqp23K4kytMzQCgDlFYwHgfHL45WnmnntzSy\
        OFKOX5/5sFirLr4I+0in+Aa8TKOcCQAznnhAAP7z1pRMM1tYP+1o/CGXpQtf8jQ/f9uX9Wef8XJ+jTJKsN2SmBua20Y20wqv6/f5IlCecEke\
        B2x7ZVwlyvncP8vKojKZzXRB8UTR1GFAbLpyhjKJlWiaykXfkD9BDhOzfICYLJj9AAkLao2Ds68mCYJJyTZa3a2FfSPVYHN2P6yn/p7A9Dar\
        UtkV9w1nLXaW/3kAeSR1yo6b3/XkNysWXyJHiJO8sKanQ1g7y09T+NztqPU9oyGjhCAPtTiswBz+UkQ6DrebPniKO4VuCuIv0UNyNauFSm1P\
        7ckHh86bGJ3rggf34FGGloeC5zCSUwtSV9wovgHTp/6ckYAvlA2RHkVQNDeAC5geiFrB+sQSa+mcUiNLUfaYaNlfOM6pTDcsCrsTyAdIuypE\
        Qj3tSE5hmI/wrFMnsbABckfyiH9MtgWSuURYUiCTVUbiWkeDhyyowpfc7bCJ8ztFzOAA
        """

    /// In base64.
    static let icon = """
        AAABAAEAEBAAAAAAIACpAgAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAQAAAAEAgGAAAAH/P/YQAAAnBJREFUeJyVk09I03EYh5/fv82xzT9s\
        K3cIFGK3EnZw8usgDHQnEYmwawcD6aJC1EHqEol5MOrQoYPXPFSEF1cgdkjoYFAR4pTEhDadzuk2p9t+ezvY1kSDem/f7/s+z+Hz8iqrW1nh\
        P6tsWeiGAYAucswrivLPsN3hIJvJAqBqmobT7aRsWZQti4rwb7CrwU02k+Xx5HMMXUP9sb5BbGkFV4Mbr6ceTdPOFFXg2NIKfdcGMUNteD31\
        qL5zPtZW17g/OsGb11Hy+UO8nnpsdjtlyzoF91wdpNMMEunpZntnH75vH0iqIDI1PSvulrAEOvplYGRc5heXJVUQ+baRklRBZH5xWQId/eJu\
        Ccv84rL8PChLLL4nrGxmJBbfq0oqQ4GOfpmanj31PzAyLuvpgsTie7K6lRWlssayZeH11PPla4ybt+4RTyS54Da40hXmw7u5aha3R4eJ9HST\
        3cugahpqpaFqGvHNXS5fCtBpBgEoORt58SpKydlYfYcjYfLZHIqmHXO1SdtsBun9PEPDA/ibfei5NP5mXxXWc2nmonM4XE74vaUTAkVRKBWL\
        +M830WkG2cgUAdBzaeKJJAATDyaJzrzFZrcjIui1AhFBNwzim7u8X/hUhUvORp6M3mDh42fMUButF1uxSqXj/glBuUyd28nYw6fEE0n8zT42\
        EkmudwXp7YsQjoQxbDrFQonC0RGKovwRiAh2h4PY0goAMy+fsba6xtjkFEPDA+ykc4hlcZQHRVWrt6PUXqOqquTzh9hsBp4mF3fuPsIMtdHb\
        F2F7Zx/1d/K1dSJEy7JwOOoAyBwUMUNttJvtpPfzZ8IAvwDBSD4I6eBcpwAAAABJRU5ErkJggg==
        """
}

#endif
