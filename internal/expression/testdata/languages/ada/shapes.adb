package body Shapes is
   Hidden : Integer := 11;
   procedure Leaf (N : Integer; B : in out Box; P : Box_Access; Text : String; List : Sizes) is
      Local : Sizes := (N, N + 1, N + 2);
      Many : array (1 .. 30) of Integer := (others => N);
      Yes : Boolean := N > 3;
      Small : Byte := Byte (250 + N);
      Tiny : Short_Short_Integer := 125 + Short_Short_Integer (N - 3);
      Large : Integer := Integer'Last - N + 5;
      Brief : Float := 0.1;
      Part : Percent := Percent (10 * N);
      Price : Money := 1.25;
      Letter : Character := 'q';
      Shade : Color := Green;
      Bits : Flags := (others => Yes);
      Here : Point := (N, -1.0E+100);
      Varied : Variable (N);
      Choice : Either := (Kind => True, Whole => N);
      Points : array (0 .. 1) of Point := ((N, 1.0), (-N, 2.0));
      Empty : String (1 .. 0);
      Name : String := "ab" & Character'Val (200) & "c";
      Half : Float := Float (N) / 2.0;
      Rows : array (1 .. N) of Integer := (others => 4);
      function Inner (M : Integer) return Integer is
         Deep : Integer := M + N;
      begin
         Deep := Deep + Local (2);
         return Deep + Many (3);
      end Inner;
   begin
      Varied.Text := (others => 'v');
      for I in 1 .. 300 loop
         B.Corner.X := B.Corner.X + Local (1) + Integer (Small) + Integer (Tiny) + Large mod 3 + Integer (Brief) + Integer (Part) - 1000;
         Counter := Counter + List (2) mod 3;
         if Yes and then Bits (2) and then Choice.Whole > 0 and then Price > 0.0 then
            Wide := Wide + Long_Long_Integer (Here.X + Points (1).X + Rows (1) + Text'Length + Name'Length + Empty'Length);
         end if;
      end loop;
      Hidden := Hidden + Inner (N) + P.Dimensions (1) + Color'Pos (Shade) + Integer (Half) + Character'Pos (Letter);
      Hidden := Hidden mod 1000;
      B.Corner.X := B.Corner.X mod 1000;
      Counter := Counter mod 1000;
   end Leaf;
end Shapes;
